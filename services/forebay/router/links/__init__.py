"""Links to other routers: of the same domain, and of others."""
