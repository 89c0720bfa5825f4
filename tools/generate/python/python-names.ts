/** A word that Python reserves gets an underscore at its end. */
export function pythonName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return reserved.has(words) ? `${words}_` : words
}

/** Converts a Python name back to the API's name, as `wire_name` of sdk/python/src/tollgate_client/document.py does. */
export function wireName(name: string): string {
  return name.replace(/_+$/, '').replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The words in `keyword.kwlist` of Python 3.10. */
const reserved: ReadonlySet<string> = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global
   if import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
)

export function upperFirst(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}

export function typeName(id: string): string {
  return id.split('.').map(upperFirst).join('')
}
