/** Slugs: the part of an application's addresses that never changes. */

/** Made of a name: small letters, digits and `-`. */
export function slugOfName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return plain
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '')
}

/** What is wrong with it; undefined: nothing. */
export function slugFault(slug: string): string | undefined {
  return /^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/.test(slug)
    ? undefined
    : 'Two or more small letters, digits and -, with a letter or digit at both ends.'
}
