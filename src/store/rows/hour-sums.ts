import type { Mode } from '#domain/application-config.ts'
import type { CallFigures } from '#domain/reports/reports.ts'
import { columnsOf } from '#store/sql/columns.ts'
import { columnsOfFailed, columnsOfMoney } from '#store/sql/figure-columns.ts'
import type { HourRows } from '#store/sql/hour-parts.ts'
import type { FigureColumns } from '#store/sql/schema.ts'
import { type CallSum, CallSums } from './call-sums.ts'
import type { EndedCall } from './ended-calls.ts'
import { RunSums } from './run-sums.ts'
import { TagSums } from './tag-sums.ts'
import { TargetSums } from './target-sums.ts'

/** Sums of the calls of one application and mode that ended in one hour. */
export class HourSums {
  readonly calls = new CallSums()
  readonly targets = new TargetSums()
  readonly runs = new RunSums()
  readonly tags = new TagSums()

  get size(): number {
    return this.calls.size + this.targets.size + this.runs.size + this.tags.size
  }

  add(call: EndedCall): void {
    this.calls.add(call)
    this.targets.add(call)
    this.runs.add(call)
    this.tags.add(call)
  }

  rows(of: { readonly applicationId: string; readonly mode: Mode; readonly hour: number }): HourRows {
    const keys = columnsOf(of)
    return {
      calls: this.calls.all().map((sum) => ({ ...keys, ...callColumns(sum) })),
      targets: this.targets.all().map((sum) => ({
        ...keys,
        account_id: sum.accountId,
        model: sum.model,
        ...figureColumns(sum),
      })),
      runs: this.runs.all().map((sum) => ({
        ...keys,
        ...columnsOf(sum.run),
        calls: sum.calls,
        ...columnsOfMoney(sum),
      })),
      tags: this.tags.all().map(({ sum, tag }) => ({ ...keys, tag, ...callColumns(sum) })),
    }
  }
}

function callColumns(sum: CallSum) {
  return {
    account_id: sum.accountId ?? '',
    alias: sum.alias ?? '',
    bundle: sum.bundle ?? '',
    charged: sum.charged,
    ...figureColumns(sum),
    ...columnsOfMoney(sum),
  }
}

function figureColumns({ calls, failed, firstByteMs, latencyMs }: CallFigures): FigureColumns {
  return {
    calls,
    ...columnsOfFailed(failed),
    latency: latencyMs.toText(),
    first_byte: firstByteMs.toText(),
  }
}
