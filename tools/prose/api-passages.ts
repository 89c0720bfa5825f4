/** A text that occurs several times is returned once. */

export interface ApiText {
  readonly text: string
  /** Path of the first place where the text occurs, such as `paths./v1/keys.post.summary`. */
  readonly path: string
  readonly places: number
}

/** Keys whose values are data and not documentation. */
const data = new Set(['example', 'examples', 'default', 'const', 'enum'])

export function apiTexts(document: unknown): ApiText[] {
  const found = new Map<string, ApiText>()
  walk(document, [])
  return [...found.values()]

  function walk(value: unknown, path: readonly string[]): void {
    if (typeof value !== 'object' || value === null) return
    for (const [key, child] of Object.entries(value)) {
      const here = [...path, key]
      if ((key === 'summary' || key === 'description') && typeof child === 'string')
        add(child, here.join('.'))
      else if (!data.has(key)) walk(child, here)
    }
  }

  function add(text: string, path: string): void {
    const before = found.get(text)
    found.set(text, before ? { ...before, places: before.places + 1 } : { text, path, places: 1 })
  }
}
