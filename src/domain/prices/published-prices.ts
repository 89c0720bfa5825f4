import file from '#prices/prices.json' with { type: 'json' }
import { priceList } from './price-list.ts'

/** The price list of this version of the project, read once, at start. */
export const publishedPrices = priceList(file)
