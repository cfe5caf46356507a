"""Every resource of the gateway: one module a group, joined here."""

from holdfast.hosts.gateway.resource import Routes
from holdfast.hosts.gateway.resources import entry_page, login, session_list, status


def all_routes() -> Routes:
    """The resources of all groups."""
    return Routes((*status.RESOURCES, *entry_page.RESOURCES, *login.RESOURCES, *session_list.RESOURCES))
