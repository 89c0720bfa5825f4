/** Words of an explanation that the command and the pages share. Amounts are written by who asks: `moneyText`. */

/** `900 micros` in a sentence of the server is $0.0009 for a person. */
export function inDollars(sentence: string, moneyText: (micros: string) => string): string {
  return sentence
    .replaceAll(
      /(?<![\w.])(-?\d+) of (-?\d+) micros/g,
      (_, one: string, other: string) => `${moneyText(one)} of ${moneyText(other)}`,
    )
    .replaceAll(/(?<![\w.$])(-?\d+) are available/g, (_, one: string) => `${moneyText(one)} are available`)
    .replaceAll(/(?<![\w.])(-?\d+) micros/g, (_, one: string) => moneyText(one))
}

/** Micros with decimals as dollars, every digit of them. */
export function exactDollars(micros: string, moneyText: (micros: string) => string): string {
  const [whole = '0', decimals = ''] = micros.split('.')
  if (!/^\d+$/.test(whole)) return micros
  return decimals === ''
    ? moneyText(whole)
    : `$${whole.padStart(7, '0').replace(/(\d{6})$/, '.$1')}${decimals}`
}

/** Whether a rate is for each use, and not for a million tokens. */
export function isPerUse(dimension: string): boolean {
  return /^(request|webSearch)/.test(dimension)
}

/** A name of the API as words: `key_cap` and `keyCap` are `key cap`. */
export function spaced(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
