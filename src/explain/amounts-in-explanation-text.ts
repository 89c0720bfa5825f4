/** The command line, the console and the portal use these functions, and format amounts with `moneyText`. */

/** `900 micros` becomes $0.0009. */
export function inDollars(sentence: string, moneyText: (micros: string) => string): string {
  return sentence
    .replaceAll(
      /(?<![\w.])(-?\d+) of (-?\d+) micros/g,
      (_, one: string, other: string) => `${moneyText(one)} of ${moneyText(other)}`,
    )
    .replaceAll(/(?<![\w.$])(-?\d+) are available/g, (_, one: string) => `${moneyText(one)} are available`)
    .replaceAll(/(?<![\w.])(-?\d+) micros/g, (_, one: string) => moneyText(one))
}

/** Keeps every digit: `3691.2` becomes `$0.0036912`. */
export function exactDollars(micros: string, moneyText: (micros: string) => string): string {
  const [whole = '0', decimals = ''] = micros.split('.')
  if (!/^-?\d+$/.test(whole)) return micros
  if (decimals === '') return moneyText(whole)
  const digits = whole.padStart(7, '0')
  const dollars = moneyText(`${digits.slice(0, -6)}000000`).replace('.00', '')
  return `${dollars}.${digits.slice(-6)}${decimals}`
}

/** `key_cap` and `keyCap` become `key cap`. */
export function spaced(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
