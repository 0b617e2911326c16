/**
 * The words nametags are drawn from. A nametag never changes and is shown to strangers, so every pair
 * must be a pleasant name. Removing a word is always safe.
 */
export const firstWords = words(`
  able agile airy amber ample apt arctic astute autumn avid balmy bold bonny brave breezy bright brisk bubbly calm
  candid caring chatty cheery chipper civil clever coastal comfy cool cosmic cosy crafty crisp curious daring dapper
  dashing dazzling deft dreamy eager early earnest easy electric elegant epic fair famous fancy fast fearless festive
  fiery fleet fluffy fond free fresh friendly frosty funny gallant gentle gifted glad gleaming glowing golden good
  graceful grand grateful great happy hardy hearty helpful honest hopeful humble icy ideal jaunty jazzy jolly jovial
  joyful jubilant keen kind lasting lavish level light lively logical loyal lucid lucky lunar lush magic majestic
  mellow merry mighty mindful minty misty modern modest musical neat new nifty nimble noble novel oaken olive open
  patient peppy perky placid playful plucky polar polished polite prime proud punctual pure quick quiet radiant rapid
  rare ready regal robust rosy royal rustic sage sandy savvy scenic serene sharp shining silken silver simple sincere
  sleek smart smiling smooth snappy snowy solar solid sparkling speedy spirited splendid spry stable starry steady
  stellar sterling still sturdy suave sunny super superb supple sure swift tender thrifty tidy tireless tranquil true
  trusty upbeat valiant vast velvet verdant vernal vibrant vivid warm wavy welcome whimsical wise witty wondrous woody
  young zany zealous zesty zippy
`);

export const secondWords = words(`
  alpaca antelope ant badger bear beaver bee bird bison bluejay bobcat bonobo buffalo butterfly camel canary capybara
  cardinal caribou cat chameleon cheetah chickadee chinchilla chipmunk cicada clam cobra condor coral corgi cougar
  coyote crab crane cricket crow cuckoo curlew deer dingo dolphin donkey dormouse dove dragon dragonfly duck eagle
  echidna egret eland elephant elk emu ermine falcon fawn ferret finch firefly flamingo fox frog gannet gazelle gecko
  gerbil gibbon giraffe goat goldfish goose gopher grouse gull guppy hamster hare harrier hawk hedgehog heron hippo
  hornbill horse hoverfly hummingbird husky ibex ibis iguana impala jackdaw jaguar jay jerboa kangaroo kestrel
  kingfisher kite kiwi koala koi kudu ladybird lark lemming lemur leopard linnet lion lizard llama lobster loon lynx
  macaw magpie mallard manatee mantis marlin marmot marten meerkat merlin mink mole mongoose moose moth mouse narwhal
  newt nightingale numbat ocelot octopus okapi opossum orca oriole oryx osprey ostrich otter owl ox oyster panda
  panther parrot partridge peacock pelican penguin petrel pheasant pigeon pika piper platypus plover pony porpoise
  puffin puma quail quokka rabbit raccoon raven redstart reindeer robin roebuck rook salmon sandpiper seahorse seal
  shark shrew skylark sloth snail sparrow spaniel squid squirrel stag starfish starling stoat stork sturgeon swallow
  swan swift tamarin tapir teal tern thrush tiger toad tortoise toucan trout tuna turtle unicorn vole wagtail wallaby
  walrus warbler weasel whale wolf wolverine wombat woodpecker wren yak zebra
`);

function words(text: string): readonly string[] {
  return Object.freeze(text.trim().split(/\s+/));
}
