import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Sorts the test files for Vitest: large files first, and the files next to the sources last. A file next to the
 * sources takes less than a second, so all cores have work until the end of the run.
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
