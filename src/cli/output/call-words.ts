/** Text of an explanation that the command and the pages share. The caller formats amounts with `moneyText`. */

/** Converts `900 micros` in a sentence of the server to $0.0009. */
export function inDollars(sentence: string, moneyText: (micros: string) => string): string {
  return sentence
    .replaceAll(
      /(?<![\w.])(-?\d+) of (-?\d+) micros/g,
      (_, one: string, other: string) => `${moneyText(one)} of ${moneyText(other)}`,
    )
    .replaceAll(/(?<![\w.$])(-?\d+) are available/g, (_, one: string) => `${moneyText(one)} are available`)
    .replaceAll(/(?<![\w.])(-?\d+) micros/g, (_, one: string) => moneyText(one))
}

/** Converts micros with decimals to dollars, with every digit. */
export function exactDollars(micros: string, moneyText: (micros: string) => string): string {
  const [whole = '0', decimals = ''] = micros.split('.')
  if (!/^\d+$/.test(whole)) return micros
  return decimals === ''
    ? moneyText(whole)
    : `$${whole.padStart(7, '0').replace(/(\d{6})$/, '.$1')}${decimals}`
}

/** Splits an API name into words: `key_cap` and `keyCap` become `key cap`. */
export function spaced(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
}
