"""The operator: keeps pods as each DocParserDeployment wants them."""
