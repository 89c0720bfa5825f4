import { factsOf, type Dimension } from '#money/price.ts'

/** Lists the names of rates in a sentence, as the pages label them: `output, cache write`. */
export function rateNames(dimensions: readonly Dimension[]): string {
  return dimensions.map((dimension) => factsOf(dimension).label.toLowerCase()).join(', ')
}
