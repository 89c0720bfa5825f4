import groups from '#vendor/common-passwords/passwords.json' with { type: 'json' }

let known: ReadonlySet<string> | null = null

/**
 * Returns whether a text is one of 11,000 frequently leaked passwords (vendor/common-passwords/README.md).
 * @param text the password in lower case
 */
export function isCommonPassword(text: string): boolean {
  // Most processes never check a new password, so the set is created only on its first use.
  known ??= new Set(groups.flatMap((group) => group.split(' ')))
  return known.has(text)
}
