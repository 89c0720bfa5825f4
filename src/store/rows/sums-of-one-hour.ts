import type { Mode } from '#domain/application-config.ts'
import type { CallFigures } from '#domain/reports/reports-interface.ts'
import { columnsOf } from '#store/sql/convert-records-and-rows.ts'
import { columnsOfFailed, columnsOfMoney } from '#store/sql/sql-of-figure-columns.ts'
import type { HourRows } from '#store/sql/hour-sums-interface.ts'
import type { FigureColumns } from '#store/sql/schema.ts'
import { type CallSum, CallSums } from './sums-of-calls.ts'
import type { EndedCall } from './read-ended-calls-by-time.ts'
import { LabelSums } from './sums-of-tags-and-teams.ts'
import { RunSums } from './sums-of-outcome-runs.ts'
import { TargetSums } from './sums-of-targets.ts'

/** Maximum number of sums in the memory of a process. Each sum takes up to a few KB. */
export const sumsMax = 20_000

export class HourSums {
  readonly calls = new CallSums()
  readonly targets = new TargetSums()
  readonly runs = new RunSums()
  readonly tags = new LabelSums()

  get size(): number {
    return this.calls.size + this.targets.size + this.runs.size + this.tags.size
  }

  add(call: EndedCall): void {
    this.calls.add(call)
    this.targets.add(call)
    this.runs.add(call)
    this.tags.add(call)
  }

  /** @param only the kind of rows to return; the other kinds are empty */
  rows(
    of: { readonly applicationId: string; readonly mode: Mode; readonly hour: number },
    only?: keyof HourRows,
  ): HourRows {
    const keys = columnsOf(of)
    const has = (kind: keyof HourRows): boolean => only === undefined || kind === only
    return {
      calls: (has('calls') ? this.calls.all() : []).map((sum) => ({ ...keys, ...callColumns(sum) })),
      targets: (has('targets') ? this.targets.all() : []).map((sum) => ({
        ...keys,
        account_id: sum.accountId,
        model: sum.model,
        ...figureColumns(sum),
      })),
      runs: (has('runs') ? this.runs.all() : []).map((sum) => ({
        ...keys,
        ...columnsOf(sum.run),
        calls: sum.calls,
        ...columnsOfMoney(sum),
      })),
      tags: (has('tags') ? this.tags.all() : []).map(({ label, sum }) => ({
        ...keys,
        tag: label,
        ...callColumns(sum),
      })),
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
