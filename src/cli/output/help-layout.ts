import { Help, type Command, type HelpConfiguration, type Option } from 'commander'

/** At 80 columns, this maximum leaves 46 columns for the descriptions. */
const termWidthMax = 30

/**
 * The layout of `--help`. Without this layout, a flag that lists its values takes more than half of a line, and the
 * descriptions of all other flags are squeezed into the rest.
 */
export const helpLayout: HelpConfiguration = {
  padWidth(command, helper) {
    return Math.min(Help.prototype.padWidth.call(helper, command, helper), termWidthMax)
  },

  /** A term that is too long for its column gets its own line. */
  formatItem(term, termWidth, description, helper) {
    const formatted = (name: string, about: string): string =>
      Help.prototype.formatItem.call(helper, name, termWidth, about, helper).replaceAll(/ +$/gm, '')
    if (description === '' || helper.displayWidth(term) <= termWidth) return formatted(term, description)
    return `${formatted(term, '')}\n${formatted('', description)}`
  },

  /** The command's own options come first, also in a command whose only own option is `--help`. */
  groupItems<Item extends Command | Option>(
    unsorted: Item[],
    visible: Item[],
    groupOf: (item: Item) => string,
  ): Map<string, Item[]> {
    const groups = new Help().groupItems(unsorted, visible, groupOf)
    const own = groups.get('Options:')
    return own ? new Map([['Options:', own], ...groups]) : groups
  },
}
