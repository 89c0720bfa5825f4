/**
 * Checks addresses of Google's Cloud Storage (`gs://bucket/object`). Vertex AI reads files at such addresses with the
 * rights of the provider account. Without a restriction, an end user could read the customer's private files. The
 * customer lists the prefixes that all end users of an application may read
 * (docs/decisions/2026-11-29-files-in-cloud-storage.md).
 */

/**
 * Matches the address of a bucket, or of a folder in a bucket, with a slash at the end. Without the slash at the end,
 * the prefix `gs://acme` would also allow the files in `gs://acme-private/`.
 */
export const storagePrefix = /^gs:\/\/[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]\/(?:[^/\\?#%*[\]\s\p{C}]+\/)*$/u

/** Buckets of Google with sample files, which everyone can read. */
const publicPrefixes = ['gs://cloud-samples-data/', 'gs://generativeai-downloads/']

/** @param address an address in its usual spelling, without `.` and `..` as names of folders */
export function isReadable(address: string, prefixes: readonly string[]): boolean {
  return [...publicPrefixes, ...prefixes].some((prefix) => address.startsWith(prefix))
}
