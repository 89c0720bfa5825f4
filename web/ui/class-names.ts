/** Class names of an element; what is false or undefined is left out. */
export function classNames(...names: readonly (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(' ')
}
