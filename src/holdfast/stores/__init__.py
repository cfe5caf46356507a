"""Where logs live: in memory, in files, in a database. Each fulfils `holdfast.log.store`."""
