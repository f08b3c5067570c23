import { stem } from './stem.ts';

/**
 * What a general word covers: a goal that asks for "pets" or "instruments" is answered by items that name them. One
 * direction only. General knowledge of everyday life and of software work, not of any data set.
 */
const CLASSES = `
pet animal: dog puppy cat kitten rabbit hamster parrot turtle tortoise horse bird fish goldfish snake lizard guinea pig ferret
bird: eagle hawk owl heron parrot sparrow duck swan gull pigeon hummingbird penguin
fish: salmon trout tuna shark goldfish
flower plant: rose tulip daisy sunflower lily orchid lavender dahlia fern succulent cactus
instrument: guitar piano violin drum flute clarinet saxophone trumpet cello ukulele accordion keyboard harp bass
music genre: jazz rock pop classical folk hiphop blues country metal
sport activity hobby: soccer football basketball tennis golf baseball swimming running cycling hiking climbing skiing surfing yoga skateboarding volleyball hockey boxing martial karate rowing
hobby pastime: painting drawing reading cooking baking gardening knitting photography pottery writing dancing singing gaming fishing camping chess puzzle woodworking sewing
game: chess poker monopoly puzzle scrabble videogame nintendo playstation xbox cards bowling
exercise: yoga pilates gym running jogging swimming weightlifting cycling stretch squat pushup
art artwork craft: painting drawing sculpture pottery photography sketch mural collage origami knitting ceramics
food dish meal cuisine: pizza pasta burger salad soup curry sushi taco rice noodle steak sandwich bread chicken stew lasagna dumpling pancake
dessert sweet pastry: cake pie tart cookie brownie chocolate icecream pudding croissant eclair muffin doughnut cheesecake pastry
drink beverage: coffee tea water juice wine beer soda smoothie cocktail lemonade milk
fruit: apple banana orange strawberry mango grape lemon peach cherry pineapple blueberry raspberry
vegetable: carrot tomato potato spinach broccoli onion pepper cucumber
diet dietary: vegan vegetarian gluten keto halal kosher dairy lactose
relative family: mother father mom dad mum sister brother aunt uncle cousin grandmother grandfather grandma grandpa niece nephew son daughter wife husband grandparent parent twin
parent: mother father mom dad mum
child kid children: son daughter baby toddler boy girl
sibling: brother sister twin
spouse partner: husband wife girlfriend boyfriend fiance
relationship romance: date dating boyfriend girlfriend married engaged breakup divorce single
profession occupation job career: teacher nurse doctor engineer lawyer chef artist writer designer accountant manager carpenter electrician plumber pilot police firefighter scientist programmer developer therapist counselor mechanic librarian translator journalist photographer
medical health: doctor hospital surgery operation illness diagnosis allergy medication therapy injury asthma diabetes cancer
illness disease condition: cancer diabetes asthma flu cold covid arthritis migraine depression anxiety allergy infection fever
surgery procedure: operation surgery transplant
injury: broken broke sprain sprained fracture burn burned bruise bruised cut wound twisted torn
bone: arm leg wrist ankle rib shoulder hip finger collarbone
body: arm leg knee hand foot back head shoulder hip ankle wrist eye ear heart
emotion feeling mood: happy sad angry afraid nervous excited proud anxious grateful jealous lonely relieved terrified
color colour: red blue green yellow orange purple pink black white grey gray brown
vehicle transport transportation: car bus train bike bicycle motorcycle truck van boat ship plane scooter subway tram
commute: train bus drive car bike
building: house apartment church school hospital library museum office hotel
place location: park beach museum restaurant cafe library school church gym mall theater hotel cabin city town street shop
city: london paris berlin tokyo boston chicago seattle toronto madrid rome vienna
country: germany france italy spain canada mexico japan china india brazil england sweden norway turkey ireland scotland australia
nature outdoors: forest mountain lake river beach waterfall trail hike camping sunset garden park
season: spring summer autumn fall winter
holiday: christmas easter thanksgiving halloween hanukkah diwali valentine
weather: rain snow sunny storm wind fog hot cold
clothes clothing outfit: shirt dress shoe jacket coat hat jeans sweater skirt scarf boots
gift present: necklace ring watch book flower card toy jewelry
jewelry: ring necklace bracelet earring watch
stone gem: diamond sapphire ruby emerald pearl opal amethyst
device gadget technology: phone laptop computer tablet camera headphone router printer console
camera: canon nikon leica polaroid lens film
radio network: wifi bluetooth ethernet zigbee
language: english spanish french german italian chinese japanese portuguese arabic russian hindi korean latin dutch
subject degree study: math physics chemistry biology history psychology engineering economics law medicine literature philosophy nursing education art
school education: college university class course degree student teacher kindergarten graduate exam
event celebration: wedding birthday party concert festival parade graduation anniversary funeral conference reunion fair
competition contest: race marathon tournament match championship prize medal won
award: prize medal trophy scholarship certificate winner
book: novel memoir biography story series author
movie film: documentary comedy thriller horror drama cinema
religion: church christian muslim jewish buddhist hindu catholic prayer faith
identity: gay lesbian transgender bisexual queer nonbinary gender
volunteer charity: shelter donation fundraiser homeless foodbank
crime: theft robbery murder fraud burglary
money finance: loan debt savings salary mortgage rent budget bank
time: morning afternoon evening night noon midnight hour minute
database: postgres postgresql mysql sqlite mongodb redis
framework library: react vue angular svelte django flask rails express
programming: python javascript typescript java rust golang ruby
cloud: aws azure gcp kubernetes docker
error failure: exception crash timeout panic segfault leak deadlock
`;

let members: Map<string, Set<string>> | undefined;

function membersByClass(): Map<string, Set<string>> {
  const made = new Map<string, Set<string>>();
  for (const line of CLASSES.split('\n')) {
    const [names, list] = line.split(':');
    if (names === undefined || list === undefined) continue;
    const covered = list.trim().split(/\s+/).map(stem);
    for (const name of names.trim().split(/\s+/).map(stem)) {
      const known = made.get(name) ?? new Set();
      for (const member of covered) if (member !== name) known.add(member);
      made.set(name, known);
    }
  }
  return made;
}

/** Terms that a general word covers. */
export function membersOf(term: string): readonly string[] {
  members ??= membersByClass();
  return [...(members.get(term) ?? [])];
}
