/** What is said of a password that somebody chooses, wherever they do; the server has the same bound. */
const lengthMin = 12

export const newPasswordHelp = `At least ${lengthMin} characters. A few unrelated words are best. Common passwords and your own names are rejected.`

/** @param again the password, written once more */
export function newPasswordFaults({
  again,
  password,
}: {
  readonly password: string
  readonly again: string
}): {
  readonly password?: string
  readonly again?: string
} {
  return {
    ...(password.length < lengthMin && {
      password: `At least ${lengthMin} characters; these are ${password.length}.`,
    }),
    ...(password !== again && { again: 'The two are not the same.' }),
  }
}
