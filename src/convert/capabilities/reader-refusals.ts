import type { WireName } from '#wire/wire-names.ts'
import { refuseForRoute } from '#wire/wire-request.ts'

/** A part of a request that has no neutral form, so that it is rejected while the request is read. */
interface ReaderRefusal {
  /** A short description for the reference. */
  readonly what: string
  /** Its name on each wire. Absent wires do not have it. */
  readonly field: Readonly<Partial<Record<WireName, string>>>
  /** The reason for the rejection, and the remedy. */
  readonly reason: string
}

/**
 * The parts of requests that no other wire can express, in addition to the capabilities that depend on the destination
 * (fit-request.ts). They are listed in docs/reference/conversion-losses.md.
 */
export const readerRefusals = {
  computer: {
    what: 'a computer that the client runs, whose actions differ between vendors',
    field: { messages: 'tools.computer', generate: 'tools.computerUse', responses: 'tools.computer' },
    reason:
      'the actions of a computer differ between vendors and do not convert without loss; define them as functions, or use a model of this wire’s own provider',
  },
  vendorTool: {
    what: 'other tools of a vendor that the client runs, such as a shell or an editor',
    field: { messages: 'tools.type', responses: 'tools.type' },
    reason: 'only models of its vendor know this tool; define it as a function with a name and a schema',
  },
} as const satisfies Readonly<Record<string, ReaderRefusal>>

/**
 * Rejects a tool that only models of its vendor know.
 * @param param where the tool is, such as `tools.0`
 * @param type its type on the client's wire
 */
export function refuseVendorTool(param: string, type: string): never {
  const { reason } = /^computer/i.test(type) ? readerRefusals.computer : readerRefusals.vendorTool
  refuseForRoute(param, `${type}: ${reason}`)
}
