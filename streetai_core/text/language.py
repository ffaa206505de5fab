"""Whether a text in Latin letters is in another language than English: by the small words that texts are full of."""

from __future__ import annotations

import re
import unicodedata

from streetai_core.text.spelling import plain

_LOOKED_AT = 1000
"""Characters of a text that are looked at: some 150 words, of which every third one tells."""

_WORD = re.compile(r"[^\W\d_]+")
_SOFT_HYPHEN = "\u00ad"
_ACCENTED = re.compile("[a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]+")
"""A word in small Latin letters; with an accent it is of another language, for names, of which English texts have some,
begin with a capital."""

_ENGLISH = """
about after again also always and any anything are aren back be because been before being believe better between both
but can cant could couldn day did didn does doesn doing don dont during each every everyone everything few from
getting go going gonna good got guess had hadn has hasn have haven having hello hers herself himself his how if into
isn it its itself just know later let like little looking lot made make many maybe might more much myself need never
new next nothing now only other our ours ourselves out own people please really said same she should shouldn some
someone something such take tell than thank thanks that thats the their theirs them themselves then there these they
thing things think this those though through today together told tomorrow tonight too try until up us very wanna want
wanted wants wasn week well went were weren what when where which while who whom whose why with without won work would
wouldn yeah yes yesterday yet you your youre yours yourself yourselves
"""
"""English words that hardly any other language has; "in", "so", "was" and "her" are words of others too."""

_OTHERS = (
    # German.
    """
    aber auch auf bei damit dann darf dass dein deine deinem deinen deiner denn der dich diese diesem diesen dieser
    dieses doch dort eigentlich ein eine einem einen einer eines etwas euch euer fuer ganz geht gemacht gerade gibt
    habe haben habt hatte hatten heute hier ich ihm ihn ihnen ihr ihre immer ist jetzt kann kannst kein keine keinen
    kommt machen mehr mein meine meinem meinen meiner mich mir morgen muss nach nicht nichts noch nur oder schon sehr
    seid sein seine seinen seit sich sie sind soll ueber und uns unser unsere viel vielleicht vom vor wann warum weil
    welche welchem welchen welcher welches wenn wer werden wie wieder wieviel wir wird wollen wurde wurden zur zwischen
    """,
    # Dutch.
    """
    aan alleen bij dat deze dit dus echt een eens gaan gaat geen gewoon gisteren graag haar heb hebben hebt heeft het
    hij jij jouw jullie kan komt kunnen leuk maar mij mijn misschien moet moeten naar niet niets nog omdat ons onze ook
    toch uit vaak vandaag voor waar waarom wanneer wel welk welke werd wij worden wordt zich zij zijn zonder zou
    """,
    # Swedish, Danish and Norwegian.
    """
    aldrig alltid att bara blev blevet bli blir blive bliver denna det detta dette efter eller ett etter fick fik gick
    gikk gjorde hadde havde hur hva hvad hvem hvilken hvilket hvor hvordan hvorfor hvornar igen ikke ikkje ingen inte
    jag jeg kommer kunde kunne manga meget mej mellan mellem mig mitt mycket mye nagot nagra nar noe noget och ogsa oss
    sedan sig sitt skal skulde skulle som vad vaere vara vare vart vilken vilket vill vores
    """,
    # French.
    """
    ainsi apres aujourd aussi avait avec avez avoir avons beaucoup ces cest cette combien comme dans depuis donc elles
    encore etaient etait etre faire faut fois hui jai jamais juste leur leurs mais notre nous oui parce pas peu peut
    peux pourquoi puis quand que quel quelle quelles quelque quels qui quoi rien sont suis tes toi toujours tout toute
    toutes trop une vos votre vous
    """,
    # Spanish.
    """
    ahi ahora alli aqui asi aunque creo cual cuales cuando cuanta cuantas cuanto cuantos desde despues dijo donde ellas
    ellos entre eran eres esa ese eso esos esta estaba estamos estan estar estas este esto estos estoy fue fueron
    gracias haber hace hacer hasta hemos hizo hola jamas luego mientras misma mismo mucha mucho muchos muy nada nadie
    nosotros nuestra nuestro nuestros nunca otra otro para pero poco por porque puede puedo pues quien quienes quiero
    segun siempre sino sobre somos suya tambien tampoco tanto tenemos tener tengo tiene tienen tienes todas todavia
    tuvo una unas unos usted vamos voy
    """,
    # Portuguese.
    """
    acho agora ainda aos deles depois disse disso ela elas ele eles essa esse estava estou fazer ficou foram hoje isso
    isto lhe mas mesmo meu meus minha minhas muita muito muitos nao nas nem nossa nosso onde ontem pelas pelo pelos
    pode pra quais qual quando quantas quanto quantos quem sao sempre seu sua suas tambem temos tenho ter tinha tudo
    uma umas vai voce voces vou
    """,
    # Italian.
    """
    abbiamo adesso alla alle allo anche ancora avete aveva avevo che cioe cosa cosi dalla dalle degli dei della delle
    dello devo dopo erano essere fatto gli hanno mie molta molto nei nel nella nelle niente nostra nostro oggi ogni
    perche piu poi puoi quale quali quanta quante quanti quella quelli quello questa queste questi questo quindi sei
    senza sia siamo siete sono stai stata stato sugli sul sulla suo suoi troppo tua tuo tuoi tutta tutte tutto vado
    voglio voi vuole
    """,
    # Romanian.
    """
    acea aceasta acest acum asta cate cati cei cele cum daca deci din doar dupa foarte fost iar intr lor mea mult multa
    nimic noastra nostru pentru prea sau sunt tau toate toti unde unei unui
    """,
    # Polish.
    """
    albo bardzo bede bedzie bedziemy byc byl byla bylo byly caly chce choc cie cos czemu czy czyli dla dlaczego dlatego
    dobrze dzis dzisiaj gdy gdyby gdzie ilu jak jaka jaki jakich jakie jakiego jakiej jakim jego jej jesli jestem
    jestes jeszcze juz kiedy kogo komu kto ktora ktore ktorego ktorej ktory ktorych ktorym ktorzy ktos maja mamy mnie
    moj moja moje mojego mojej moze mozna musi musze nad nam nami nasz nasza nasze naszego naszej nawet nic nie niej
    niz oraz podczas poniewaz potem prosze przed przez przy razem skad sobie swoj swoje takze tego teraz tez tobie
    tutaj tylko tym wam wiec wszystko wtedy zawsze zeby znow
    """,
    # Czech and Slovak.
    """
    aby ako alebo boli bolo bude budem budeme budu byli dnes iba jake jako jaky jenom jeste jsem jsi jsme jsou jste kam
    kde kdo kdy kdyz keby kedy koho kolik ktera ktere ktereho ktery kvuli mezi mne mozno muj musim muze nasa nase nebo
    neco nekdo neni nich pak podle pred preto pretoze pri prosim protoze ptz sme sva svou svuj tady taky tento teto
    tiez tohle toho tomu velmi vsak vsechno vsetko vubec zase
    """,
    # Croatian, Serbian and Slovene.
    """
    bih bil bili bilo biti bomo cemu danas dok gde gdje imam jer jesam jesmo jesu kada kakav kako kdaj ker kje kod koja
    koje kojeg koji koju koliko lahko mene meni mnogo nekaj nema nije nisam nismo nisu njegov njen njih oko ona oni
    ovaj ovo samo sve svi taj tako toga tudi uvek uvijek vec vrlo zasto zato zbog zelo
    """,
    # Hungarian.
    """
    abban addig ahogy akik akkor ami amikor amit annak attol azert azok azon azonban azt benne csak egesz egy egyik
    eleg elott ennek erre ezek ezert ezt fel hany hanyadik hogy hogyan hol hova ilyen itt jol kell kellett kik kinek
    kivel legyen lehet lesz majd meg megint mely melyik mennyi mennyibe mert miatt miben midig mielott mikor milyen
    minden mindig mivel nagyon nalam nalunk nekem neki nekunk nincs olyan onnan ott pedig semmi sincs sok szerint ugy
    utan vagy vagyok vagyunk vannak viszont voltak
    """,
    # Finnish.
    """
    aina ainoa eika eivat emme enemman eniten ennen etta ette hanelle hanen ihan ilman itse joka jonka jonne joskus
    jossa jota jotka jotta kaikki kanssa kanssani kenelle kenen kenesta kenet kerran kesken ketka kiitos koska koskaan
    kuin kuinka kuka kyll kylla luulen meidan meilla meille mihin mika mikali mikset miksi millainen millaiset
    millaisia millaista milloin minka minkalainen minne minua minulla minulle minun minut missa mista mita mitaan mitka
    molemmat montako mutta mutten muuten myos nain niiden niin niita noin nuo nyt oikein olemme olen olet oletko olette
    oli olimme olin olisi olit olivat olla ollut onko ovat paljon paljonko pitaa saa saako siella siihen siina sinulla
    sinun sita sitten taalla tahan tassa teidan teilla tuolla vaan vaikka varmasti vasta viela voiko voin voisi
    """,
    # Estonian.
    """
    aga ainult alati ega ent juba keda kelle kes kogu kuhu kui kuidas kuna kus kust meie meil mida miks millal mille
    minu mul mulle nagu neid nii nuud oled olid palju samuti seda selle sest siin siis tal teda teie vaga voib
    """,
    # Lithuanian and Latvian.
    """
    apie bija buvo ceru cik dabar esam esmu jau jei jums juos kadi kads kaip kapec kiek kodel kokia koks kuris labai
    lai loti mans musu nevar prie reikia savo sev tagad taip tapec tavo tikai tur turi turiu vins visi viskas viss yra
    """,
    # Turkish.
    """
    acaba ancak artik aslinda ayni bana bazen belki bence benim bile bir biraz biri birkac bizde bize bizim boyle buna
    bunlar bunu bunun burada cok cunku daha dedi defa degil diye dolayi eger evet fakat gibi hadi haftanin hangi hatta
    hepsi herkes hic icin icinde ise iste iyi kac kaca kadar karsi kendi kime kimin kimse lazim nasil neden nedir neler
    nelerdi nerden nerede nereden nereye neyi neyle nicin niye olan olarak oldu oldugu olmak olsun olur onlar onu onun
    orada oyle saat sadece sana sanki seni senin sey simdi siz sizin sonra tabii tamam uzere vardi veya yani yapti yeni
    yine yok yoksa zaten
    """,
    # Indonesian and Malay.
    """
    adalah akan aku apa apakah atau bagaimana bagi bahwa baik banyak baru beberapa begitu belum berapa bisa boleh bukan
    cuma dalam dapat dari dengan dimana gimana hanya harus ingin itu jadi jangan jika juga kalau kalian kami kamu kapan
    karena kemana kemarin kenapa kepada kita lagi lalu lebih lewat maka masih mau mengapa menjadi mereka milik mungkin
    nanti nya oleh orang pada paling punya saja sama sampai sangat saya sebagai sebelum seberapa sedang sejak sekali
    sekarang selalu selamat semoga seperti sering sesudah setelah siapa sih sini situ sudah supaya tapi telah tentang
    tetapi tidak udah untuk waktu yaitu yakni yang
    """,
    # Tagalog.
    """
    akong bakit dahil hindi ikaw iyon kanila kanya kasi kayo kumusta mga namin nang natin nila nito niya paano saan
    sila siya tayo yung
    """,
    # Catalan.
    """
    aixo amb aquest aquesta dels els meva molt nomes pel pels perque quan tambe
    """,
    # Swahili.
    """
    ambao ambaye bado hapa huo huyo ili ingawa kabla katika kila kuhusu kutoka kwa kwamba kwani lakini ndio ndiyo sisi
    tulikuwa vipi wako wangu wapi watu wetu wewe yake yako yangu yetu yeye
    """,
)
"""The small words of other languages, as they are typed without accents, that are neither English words nor names: so
"die" is not among them. A word that several languages have stands once. From general knowledge of these languages."""

_SHORT = """
ai al als au av az ben bis ca ce ci con cu da dal das de del dem den der des di dos du ed ei el em en er es est et han
hat hon ik il im io ja je ke ki la le les lo ma med met mi mig mij mit na ne ni non nos nu nun och og om op os pas per
po por qui sa se ses si sta sto su sur te ti tu um van var ve vi vom von wat ze zo zu
"""
"""Others of theirs, which are names, abbreviations or English words as well: two of them tell as much as one above."""

_WEIGHTS = {
    **dict.fromkeys(_SHORT.split(), 1),
    **dict.fromkeys(" ".join(_OTHERS).split(), 2),
    **dict.fromkeys(_ENGLISH.split(), -2),
}
"""What each word tells of another language, or against it."""

_ACCENT = 2
"""What an accented word tells of another language than English."""

SMALL_WORDS = frozenset(word for word, weight in _WEIGHTS.items() if weight > 0)
"""The small words of other languages."""


def is_foreign(text: str) -> bool:
    """Whether the words of a text tell more of another language than of English.

    Where too little tells, and of a single word, it is English.
    """
    words = _WORD.findall(unicodedata.normalize("NFC", text[:_LOOKED_AT].replace(_SOFT_HYPHEN, "")))
    told = 0
    # Each once, for "la la land".
    short: set[str] = set()
    for written in words:
        weight = _told_by(written)
        if weight == 1:
            short.add(written.lower())
        else:
            told += weight
    return told + len(short) > 1 and len(words) > 1


def _told_by(written: str) -> int:
    """What a word tells as it is written."""
    if written.isascii():
        return _WEIGHTS.get(written.lower(), 0)
    return _ACCENT if _ACCENTED.fullmatch(written) else _WEIGHTS.get(plain(written).lower(), 0)
