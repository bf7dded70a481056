"""The fronts: where clients come in, over HTTP and over UDP, and the desk behind both."""
