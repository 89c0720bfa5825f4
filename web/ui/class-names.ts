/** Joins class names, omitting false and undefined. */
export function classNames(...names: readonly (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(' ')
}
