import file from '#prices/prices.json' with { type: 'json' }
import { priceList } from './published-price-look-up.ts'

/** The price list of this version of the project, which is read once, at the start. */
export const publishedPrices = priceList(file)
