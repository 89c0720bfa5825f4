/** `onDemand` is typed as `on-demand`, `price.cacheRead` as `--price.cache-read`. */
export function typed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The words after `tollgate` that call an operation: `keys mint`. */
export function wordsOf(id: string): string[] {
  return id.split('.').map(typed)
}
