import type { UsageFigures } from '#domain/figure-sums.ts'

export interface UsageSum extends Readonly<UsageFigures> {
  readonly alias: string
}
