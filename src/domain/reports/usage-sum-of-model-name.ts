import type { UsageFigures } from '#domain/sums-of-request-figures.ts'

export interface UsageSum extends Readonly<UsageFigures> {
  readonly alias: string
}
