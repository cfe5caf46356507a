"""What can be asked of the gateway over HTTP: one module a group, each with its table `RESOURCES`."""
