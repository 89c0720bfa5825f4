import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Vitest's order of test files: large files first, with the files next to the sources at the end. These files take less
 * than a second, so that all cores have work until the end of the run.
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
