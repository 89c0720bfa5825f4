/** The package has no types of its own. Its README describes this form. */
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly help: string
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'SUMMARY' | 'UNTYPED'
    readonly metrics: readonly {
      readonly value?: string
      readonly labels?: Readonly<Record<string, string>>
      /** Part of a histogram. The series of one family come as one. */
      readonly buckets?: Readonly<Record<string, string>>
      readonly count?: string
      readonly sum?: string
    }[]
  }
  export default function parse(text: string): readonly Family[]
}
