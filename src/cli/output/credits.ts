/** Amounts in a bundle's credit currency, which the API counts in millionths of a credit. */

/** `1500000` is `1.5 credits`. @param millionths a decimal string; what is no number stays as it is */
export function creditsText(millionths: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(millionths) ?? []
  if (whole === '') return millionths
  const digits = whole.padStart(7, '0')
  const decimals = `${digits.slice(-6)}${fraction}`.replace(/0+$/, '')
  const amount = `${sign}${digits.slice(0, -6)}${decimals === '' ? '' : `.${decimals}`}`
  return `${amount} ${amount === '1' ? 'credit' : 'credits'}`
}
