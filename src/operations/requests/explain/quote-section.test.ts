import { expect, it } from 'vitest'
import { candidateWorst } from './quote-section.ts'

const worst = {
  inputPrice: '1000000',
  outputPrice: '4000000',
  inputTokensMax: 100,
  outputTokensMax: 200,
  fixed: '100000000',
  outputRate: '4000000',
}

it('fees that the service tier does not change are a separate term of the formula', () => {
  const fees = '20000500000'
  expect(candidateWorst({ ...worst, multiplier: '2000', fees }).worstCase).toMatchObject({
    inputMicros: '100',
    feesMicros: '20000.5',
    micros: '21801',
    formula:
      '(100 micros for at most 100 input tokens and fees + 200 output tokens x 4000000 / 1000000) x 2 + 20000.5 micros for fees of tools = 21801',
  })
})

it('without such fees, the formula has no term for them', () => {
  const { worstCase } = candidateWorst({ ...worst, multiplier: '500' })
  expect(worstCase).not.toHaveProperty('feesMicros')
  expect(worstCase.formula).toBe(
    '(100 micros for at most 100 input tokens and fees + 200 output tokens x 4000000 / 1000000) x 0.5 = 450',
  )
})
