"""The objects of a DocParserDeployment as they should be: pure functions to manifests."""
