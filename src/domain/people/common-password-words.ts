/**
 * Words that occur in common passwords, in lower case, collected by hand from lists of leaked passwords. Sequences,
 * repetitions and rows of keys are not in the list, because rules detect them (find-weak-passwords.ts). Longer words
 * come first, so that they are found before shorter words inside them.
 */
export const commonWords: readonly string[] = `
abc abcd access account adam administrator admin alex alexander amanda america andrea andrew angel angela anna anthony
apple arsenal asdf asdfgh ashley august austin autumn azerty baby babygirl backup banana barcelona baseball basketball
batman beautiful bigdaddy birthday blink blue booboo boss brandon bubbles bulldog business buster butterfly
captain changeme changeit changethis charles charlie cheese chelsea cherry chicken chocolate chris christian christmas
coffee company computer console cookie corvette cowboy crystal dakota dallas daniel david december default demo
diamond dragon eagle edward elephant elizabeth emily enter february ferrari fire firewall flower football forever france
freedom friday friend friends fuckme fuckoff fuckyou gateway gemini george ginger girl golden golf google gordon green
guest guitar hacker hammer hannah happy harley heather hello helpdesk hockey holiday home hottie hunter iamgod iloveu
iloveyou infinity internet iphone jackson jaguar james january jasmine jason jennifer jessica jesus john johnny jordan
joseph joshua july june justin killer king ladybug lakers lauren letmein letmeinnow liberty liverpool login london love
lovely lover loveyou madison maggie manager manchester march marina marine market martin master matrix matthew maverick
merlin mexico michael michelle mickey midnight minecraft monday money monkey monster morgan mother mountain mustang
mynoob myspace naruto natasha nathan newyork nicholas nicole nothing november ncc1701 october office online orange
pa55word paris pass passphrase passw0rd passwd password patrick peanut pepper phoenix player please pokemon porsche
power prince princess private purple pussy qazwsx qwert qwerty qwertz rachel rainbow ranger raiders robert root
samantha samsung saturday scooter secret secure security september server sexy shadow silver simple skywalker slayer
soccer softball spider spiderman spring starwars steven strong student summer sunday sunshine super superman support
sweet sysadmin system taylor teacher temp temporary tennis test tester testing thomas thunder thursday tigger
tiger tinkerbell trustme trustno1 tuesday twitter unknown user username victoria viking warrior wednesday weekend
welcome whatever william willow winner winter wizard xbox yamaha yankees yellow zxcvbn
`
  .trim()
  .split(/\s+/)
  .toSorted((one, other) => other.length - one.length)
