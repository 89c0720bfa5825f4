/**
 * Converts millionths of a credit, such as `1500000`, to `1.5 credits`.
 * @param millionths a decimal string; other text is returned unchanged
 */
export function creditsText(millionths: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(millionths) ?? []
  if (whole === '') return millionths
  const digits = whole.padStart(7, '0')
  const decimals = `${digits.slice(-6)}${fraction}`.replace(/0+$/, '')
  const amount = `${sign}${digits.slice(0, -6)}${decimals === '' ? '' : `.${decimals}`}`
  return `${amount} ${amount === '1' ? 'credit' : 'credits'}`
}
