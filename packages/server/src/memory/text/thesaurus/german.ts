import type { Thesaurus } from './thesaurus.ts';

/**
 * Source: written by hand for this project from general knowledge of everyday life and of software work; no list of
 * anybody else went into it.
 */
export const GERMAN_THESAURUS: Thesaurus = {
  groups: `
arbeit job beruf stelle beschäftigung | chef vorgesetzter leiter boss | kollege mitarbeiter | firma unternehmen betrieb
gehalt lohn einkommen verdienst | büro arbeitsplatz | kündigen kündigung gekündigt | einstellen anstellen | rente ruhestand pension
besprechung termin treffen sitzung meeting | kind sohn tochter baby kleinkind | eltern mutter vater mama papa
mutter mama mutti | vater papa vati | oma großmutter omi | opa großvater opi | ehefrau frau gattin partnerin
ehemann mann gatte partner | bruder schwester geschwister | familie verwandte verwandtschaft angehörige | freund kumpel bekannter
freundin bekannte | heiraten hochzeit trauung geheiratet | scheidung trennung getrennt | geburtstag feier fest party
geschenk präsent schenken | wohnung unterkunft quartier bleibe apartment | ferienwohnung ferienunterkunft ferienhaus unterkunft
haus gebäude | zimmer raum | umzug umziehen umgezogen | miete mieten | vermieter vermieterin wirt wirtin gastgeber | möbel einrichtung
küche herd | garten hof | reise urlaub ferien fahrt trip | reisen fahren verreisen | ausflug tour wanderung | wandern wanderung spazieren
zug bahn eisenbahn | auto wagen pkw | fahrrad rad | flugzeug flug fliegen geflogen | schiff fähre boot | bus | bahnhof station haltestelle
ticket fahrkarte fahrschein karte | fahrzeit fahrtdauer | abfahrt abreise aufbruch aufbrechen | ankunft ankommen | gepäck koffer tasche rucksack
hotel pension herberge | buchen reservieren buchung reservierung gebucht reserviert | absagen stornieren storniert abgesagt
verschieben verlegen verschoben verlegt | weg strecke route pfad | strand meer küste ufer | meer see ozean | stausee talsperre see | berg gebirge gipfel
wald forst | fluss bach strom | dorf ort gemeinde | stadt ort | insel | karte landkarte plan | sehenswürdigkeit attraktion ausflugsziel
geld budget betrag summe | kosten preis gebühr betrag | kosten bezahlen zahlen ausgeben | bezahlen zahlen bezahlt | kaufen besorgen anschaffen einkaufen gekauft
verkaufen verkauf | sparen zurücklegen ersparnis | teuer kostspielig | billig günstig preiswert | kostenlos gratis umsonst | rechnung beleg quittung
anzahlung vorauszahlung vorab | rest restbetrag übrig | schulden kredit darlehen | versicherung police | steuer abgabe
essen mahlzeit speise gericht | kochen zubereiten | restaurant gaststätte lokal gasthaus | frühstück | abendessen abendbrot | trinken getränk
fleisch wurst | vegetarisch vegetarier fleischlos | vegan veganer | nuss nüsse haselnuss | kuchen torte gebäck | eis eisdiele | zutat inhaltsstoff
allergie unverträglichkeit verträgt allergisch | arzt doktor mediziner | krankenhaus klinik hospital | krank krankheit erkrankung | gesund gesundheit
medikament arznei mittel tablette | schmerz weh | verletzung wunde verletzt | bruch gebrochen brechen fraktur | operation eingriff operiert
untersuchung kontrolle kontrolltermin | therapie behandlung | übelkeit übel seekrank seekrankheit | müde erschöpft | schlafen übernachten übernachtung
angst furcht | froh glücklich | traurig bedrückt | wütend sauer verärgert | mögen gefallen lieben | lieblings bevorzugt liebste | hassen verabscheuen
wunsch vorliebe bevorzugen | wollen wünschen | entscheiden entscheidung beschluss beschlossen | planen plan vorhaben | ändern änderung geändert
schule unterricht | lehrer lehrerin | studium universität uni hochschule | prüfung klausur examen | lernen üben | buch roman | lesen lektüre
schreiben verfassen geschrieben | brief post | mail email nachricht | anrufen telefonieren anruf | handy telefon smartphone
rechner computer laptop pc | bild foto aufnahme | film kino | musik lied song | spiel spielen | sport training trainieren | verein klub club
hund welpe | katze kater | tier tiere haustier | pflanze blume | wetter regen schnee sonne | regen schlechtwetter nass | kalt frost | warm heiß
morgen vormittag früh | abend | nacht | woche | wochenende | monat monatlich | jahr jährlich | täglich tag | anfang beginn start | ende schluss
zuerst anfangs ursprünglich | zuletzt schließlich endgültig | bald demnächst | schnell rasch | langsam | groß riesig | klein winzig | neu frisch | alt ehemalig früher
kaputt defekt beschädigt | reparieren reparatur richten | werkstatt reparatur | werkzeug gerät hammer | finden entdecken | suchen suche | verlieren verloren verfallen
vergessen | erinnern erinnerung | helfen hilfe unterstützen | problem schwierigkeit ärger | fehler bug defekt irrtum | lösung behebung | grund ursache weshalb
frage | antwort | regel vorgabe anweisung | erlaubt gestattet | verboten untersagt | wichtig wesentlich | gefährlich gefahr risiko | sicher sicherheit
seite webseite website webauftritt | blog beiträge beitrag artikel bericht | programm software anwendung app | programmieren entwickeln code skript
server rechner host | datei dokument | ordner verzeichnis | datenbank | befehl kommando | zeile | vorlage template muster | hochladen übertragen upload
herunterladen download | veröffentlichen publizieren | testen prüfen test | bauen build erstellen | löschen entfernen | speichern sichern sicherung backup
aktualisieren update aktualisierung | einrichten installieren aufsetzen | anbieter dienst provider | passwort kennwort | nutzer benutzer anwender
`,
  classes: `
tier haustier: hund katze kaninchen hase pferd vogel fisch huhn ziege schaf hamster schildkröte meerschweinchen kuh esel
verkehrsmittel fahrzeug: zug bahn bus auto fahrrad schiff fähre flugzeug straßenbahn
verwandte familie: mutter vater oma opa tante onkel bruder schwester sohn tochter cousin cousine
beruf: lehrer arzt ingenieur koch bäcker anwalt pfleger verkäufer handwerker programmierer
essen speise gericht mahlzeit: pizza nudeln suppe salat fleisch fisch kartoffel reis brot käse kuchen pfannkuchen
getränk: kaffee tee wasser saft wein bier milch limonade
obst: apfel birne banane kirsche erdbeere traube pflaume
gemüse: karotte tomate kartoffel spinat zwiebel paprika gurke kohl
krankheit: grippe erkältung allergie asthma diabetes krebs migräne fieber
instrument: gitarre klavier geige flöte trommel trompete cello
sport: fußball tennis schwimmen laufen radfahren klettern skifahren yoga turnen
jahreszeit: frühling sommer herbst winter
farbe: rot blau grün gelb schwarz weiß braun grau
kleidung: jacke hose schuhe pullover mantel hemd kleid mütze handschuhe
wetter: regen schnee sonne wind sturm nebel gewitter
`,
};
