import file from '#prices/prices.json' with { type: 'json' }
import { priceList } from './published-price-look-up.ts'

export const publishedPrices = priceList(file)
