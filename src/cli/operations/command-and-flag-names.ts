/** Converts `onDemand` to `on-demand`, and `price.cacheRead` to `price.cache-read` as in `--price.cache-read`. */
export function typed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export function wordsOf(id: string): string[] {
  return id.split('.').map(typed)
}
