/** The slug may be empty. */
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

export function slugFault(slug: string): string | undefined {
  return /^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/.test(slug)
    ? undefined
    : 'Use 2 to 40 lowercase letters, digits and hyphens (-). Start and end with a letter or digit.'
}

/** An empty name is an error of the name only, because the name determines the slug. */
export function slugFaultOf(values: Named): string | undefined {
  const slug = slugOf(values)
  if (slug !== '') return slugFault(slug)
  return values.name.trim() === ''
    ? undefined
    : 'Enter a slug, because the name contains no letters from a to z and no digits.'
}

export interface Named {
  readonly name: string
  readonly slug: string
}

export function slugOf({ name, slug }: Named): string {
  return slug.trim() === '' ? slugOfName(name) : slug.trim()
}

export function newApplication(values: Named): Named {
  return { slug: slugOf(values), name: values.name.trim() }
}
