/** Returns a number with its noun: `1 request`, `3 requests`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}
