/** The server requires the same minimum length. */
const lengthMin = 12

export const newPasswordHelp = `At least ${lengthMin} characters. A few unrelated words are best. Common passwords and your own names are rejected.`

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
      password: `Enter at least ${lengthMin} characters. The password has ${password.length}.`,
    }),
    ...(password !== again && { again: 'The passwords don’t match.' }),
  }
}
