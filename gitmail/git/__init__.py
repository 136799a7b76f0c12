"""The only package that starts git or touches a repository's insides."""
