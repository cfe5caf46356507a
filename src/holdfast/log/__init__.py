"""Where entries are kept: the protocol every store fulfils."""
