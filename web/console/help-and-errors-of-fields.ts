export const nameHelp = 'End users see this name in the portal.'
export const nameMissing = `Enter a name. ${nameHelp}`

export const applicationAbout = 'A product with its own end users, keys, models, bundles and money.'

/** A slug must have 1 to 63 characters. */
export function labelFault(slug: string): string | undefined {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(slug)
    ? undefined
    : 'Use lowercase letters, digits and hyphens (-). Start and end with a letter or digit.'
}

export function modelNameFault(name: string): string | undefined {
  return /^[a-z0-9][a-z0-9._:/-]{0,127}$/.test(name)
    ? undefined
    : 'Use lowercase letters, digits and the characters . _ : / and -. Start with a letter or digit.'
}

export const reasonHelp = 'End users see the reason in the portal.'
export const reasonMissing = 'Enter a reason. The reason is shown on the ledger.'

export const credentialFault = 'Enter at least eight characters, without spaces.'
export const eventNameFault = 'Enter letters, digits or symbols without spaces, like usage_recorded.'
