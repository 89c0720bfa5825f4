/** Hints and errors that several forms share. */

/** Help of a field for a display name. */
export const nameHelp = 'End users see this name in the portal.'
export const nameMissing = `Enter a name. ${nameHelp}`

export const applicationAbout = 'A product with its own end users, keys, models, bundles and money.'

/** Returns the error of a slug, which must have 1 to 63 characters. Undefined if the slug is valid. */
export function labelFault(slug: string): string | undefined {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug)
    ? undefined
    : 'Use lowercase letters, digits and hyphens (-). Start and end with a letter or digit.'
}

/** Returns the error of the name of a model. Undefined if the name is valid. */
export function modelNameFault(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9._:/-]{0,127}$/.test(name)
    ? undefined
    : 'Use lowercase letters, digits and the characters . _ : / and -. Start with a letter or digit.'
}

/** Help and error of the field for the reason of a balance change. */
export const reasonHelp = 'End users see the reason in the portal.'
export const reasonMissing = 'Enter a reason. The reason is shown on the ledger.'

export const credentialFault = 'Enter at least eight characters, without spaces.'
export const eventNameFault = 'Enter letters, digits or symbols without spaces, like usage_recorded.'
