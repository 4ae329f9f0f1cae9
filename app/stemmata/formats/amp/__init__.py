"""Amp: a document for each thread, which Amp rewrites while it works. Newer versions keep threads on a server. This
package reads the documents, also exported ones, and writes none.
"""
