"""kubectl plugin: looks at rollouts of DocParserDeployments, plans them and steers them."""
