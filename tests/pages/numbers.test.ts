/** Every amount on the pages of people and keys is the API's, in random states; tests/long has more of them. */
import { expect, it } from 'vitest'
import { comparePages } from '../support/page-numbers.ts'
import { seedOfRun } from '../support/random.ts'

it('every amount on the pages is that of the API, to the micro, in 12 random states', async () => {
  const seed = seedOfRun()
  console.log(`SEED=${seed}`)
  await expect(comparePages(12, seed)).resolves.toBeUndefined()
})
