/** Pages show several spaces as one, and a copied name may have spaces at its ends. */
export function isTypedName(typed: string, name: string): boolean {
  return plain(typed) === plain(name)
}

function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}
