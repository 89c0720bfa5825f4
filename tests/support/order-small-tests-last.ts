import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Large files start first, and the tests next to the sources (less than a second each) last. All cores then have work
 * until the end of the run.
 */
export class SmallTestsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest
    const sorted = await super.sort(files)
    const areLast = Map.groupBy(sorted, ({ moduleId, project }) =>
      moduleId.startsWith(`${project.config.root}/src/`),
    )
    return [...(areLast.get(false) ?? []), ...(areLast.get(true) ?? [])]
  }
}
