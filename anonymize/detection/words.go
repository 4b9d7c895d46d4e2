package detection

import "strings"

// A topic is a set of words in names of columns, with their meaning.
type topic struct {
	role     Role
	strength strength
	why      string
	words    []string
	// alone: the words describe a person, and in compounds mean something else (everybody has a Krankenkasse).
	alone bool
	// unit: the words mean something that identifies one person, so rows with one value are one person's.
	unit bool
}

// words splits a list at commas.
func words(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// topics are in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish, without accents.
var topics = []topic{
	{ExplicitIdentifier, strongEvidence, "it reaches one person", words(`email, e mail, mail, courriel, correo, poczta,
		emailadres, phone, telephone, telefon, telefono, telefone, telefoon, tel, mobile, handy, portable, movil, celular,
		cellulare, fax, komorka, url, website, homepage, ip, ip address, ip adresse, mac address, username, user name,
		login, benutzername, utilisateur, usuario, utente, gebruikersnaam`), false, true},
	{ExplicitIdentifier, strongEvidence, "it is the number of one person", words(`ssn, social security,
		sozialversicherungsnummer, nir, numero de securite sociale, dni, nie, nif, curp, rfc, codice fiscale, cpf, bsn,
		pesel, passport, passeport, pasaporte, passaporto, passaporte, paspoort, paszport, reisepass, ausweis,
		personalausweis, national id, tax id, steuernummer, steuer id, tin, iban, bic, account number, account no,
		kontonummer, credit card, card number, kreditkarte, carte bancaire, tarjeta, licence number, license number,
		fuehrerschein, license plate, kennzeichen, medical record, mrn, record number, patient id, patient no,
		patientennummer, versichertennummer, insurance number, health plan, certificate number, serial number, vin,
		device id, uuid, guid`), false, true},
	{ExplicitIdentifier, strongEvidence, "it names a person", words(`full name, first name, last name, firstname, lastname,
		surname, forename, given name, family name, middle name, maiden name, nickname, vorname, nachname, familienname,
		geburtsname, prenom, nom de famille, apellido, apellidos, cognome, sobrenome, voornaam, achternaam, imie, nazwisko,
		fullname, patient name`), false, true},
	{ExplicitIdentifier, usualEvidence, "it names a person", words(`name, nom, nombre, nome, naam, contact`), false, true},
	{ExplicitIdentifier, strongEvidence, "it says where one person lives", words(`address, street, house number, adresse,
		strasse, hausnummer, rue, direccion, calle, domicilio, indirizzo, endereco, rua, adres, straat, ulica, anschrift,
		street address`), false, false},
	{ExplicitIdentifier, usualEvidence, "it shows one person", words(`photo, picture, portrait, signature, fingerprint,
		unterschrift, biometric, foto`), false, false},
	{ExplicitIdentifier, usualEvidence, "people write there what they like", words(`comment, comments, remark, remarks,
		free text, freetext, bemerkung, bemerkungen, kommentar, commentaire, commentaires, remarque, comentario,
		comentarios, observaciones, osservazioni, opmerking, uwagi, description`), false, false},
	{ExplicitIdentifier, weakEvidence, "it is a number given to each", words(`id, key, identifier, number, no, nr, nummer,
		numero, code, kennung, identifiant, identificador, identificativo, numer, user, client, customer, kunde, member,
		matricule, matrikelnummer`), false, false},

	{Sensitive, strongEvidence, "health is a special category (GDPR, Article 9)", words(`disease, diseases, diagnosis,
		diagnoses, diagnose, icd, icd code, illness, sickness, condition, conditions, symptom, symptoms, syndrome, disorder,
		infection, hiv, cancer, tumor, tumour, diabetes, diabetic, depression, depressed, depressive, suicide, suicidal,
		psychiatric, psychotic, bipolar, adhd, autism, autistic, dementia, alzheimer, epilepsy, epileptic, migraine, asthma,
		asthmatic, copd, hypertension, arthritis, stroke, heart attack, heart disease, hepatitis, covid, obesity, obese,
		overweight, insomnia, diagnosed, hospitalized, hospitalised, medicated, smokes, smoked, vaping, cannabis, marijuana,
		miscarriage, abortion, contraception, contraceptive, menopause, panic attack, self harm, eating disorder, blood,
		blood type, blood group, heart rate, pulse, anxiety, disability, handicap, pregnant, pregnancy, pregnancies,
		treatment, therapy, medication, medications, drug, drugs, prescription, surgery, procedure, blood pressure,
		cholesterol, glucose, insulin, bmi, smoker, smoking, alcohol, mental health, health, vaccination, vaccinated,
		genetic, genotype, lab result, test result, krankheit, erkrankung, depressiv, herzinfarkt, schlaganfall, demenz,
		epilepsie, bluthochdruck, befund, behandlung, therapie, medikament, medikamente, behinderung, schwanger,
		schwangerschaft, raucher, blutdruck, gesundheit, blutgruppe, maladie, depressif, asthme, avc, migraine, hypertendu,
		diagnostic, traitement, medicament, medicaments, grossesse, fumeur, sante, enfermedad, depresion, deprimido, asma,
		infarto, hipertension, diagnostico, tratamiento, medicamento, embarazo, fumador, salud, malattia, diagnosi,
		trattamento, farmaco, gravidanza, fumatore, salute, doenca, tratamento, gravidez, saude, ziekte, behandeling,
		medicatie, zwanger, gezondheid, roker, choroba, diagnoza, leczenie, lek, ciaza, zdrowie, discapacidad, discapacite,
		invalidita, deficiencia, hiv status, smoking status, disease status, health status`), false, false},
	{Sensitive, weakEvidence, "health is a special category (GDPR, Article 9)", words(`pain, sleep, sleeps, sleeping,
		stress, stressed, cough, fever, fatigue, tired, mental, hearing, vision, memory, lonely, sad, drinks, drinking,
		drink, diet, exercise, abuse, abused, violence, therapist, hospital, hospital stay, doctor, medical, clinic, injury,
		injured, fall, falls, allergic to, schmerzen, schlaf, husten, fieber, schlafstoerung, douleur, douleurs, sommeil,
		stress au travail, dolor, dolores, sueno, dolore, dor, dores, pijn, slaap, bol, bole`), true, false},
	{Sensitive, strongEvidence, "religion, politics, sexual life (GDPR, Article 9)", words(`religion, religious, confession,
		faith, konfession, religione, religiao, godsdienst, wyznanie, political, politics, party, vote, voted, partei,
		parti, partido, partito, partij, partia, union member, trade union, gewerkschaft, syndicat, sindicato, vakbond,
		sexual orientation, orientation, sexuality, gender identity`), false, false},
	{Sensitive, strongEvidence, "what people earn and owe is their own", words(`income, salary, salaries, wage, wages,
		earnings, pay, payment, compensation, bonus, revenue, expend, expenditure, expenditures, expense, expenses,
		consumption expenditure, welfare, capital gain, capital loss, wealth, assets, debt, debts, loan, loan amount,
		credit score, credit, balance, amount, charge, charges, surcharge, surcharges, fee, fees, cost, costs, spending,
		tax, pension, benefit, benefits, fare, price, einkommen, gehalt, lohn, verdienst, vermoegen, schulden, kredit,
		kontostand, betrag, kosten, steuer, rente, salaire, revenu, revenus, dette, dettes, solde, montant, impot, retraite,
		pret, ingreso, ingresos, salario, sueldo, deuda, deudas, saldo, importe, prestamo, reddito, stipendio, debito,
		debiti, importo, prestito, renda, divida, dividas, valor, inkomen, salaris, loon, schuld, bedrag, lening, dochod,
		pensja, wynagrodzenie, dlug, kwota, income class, salary class, income bracket, scholarship, stipendium, bourse,
		beca, borsa, bolsa, beurs, stypendium`), false, false},
	{Sensitive, strongEvidence, "offences need protection (GDPR, Article 10)", words(`crime, crimes, offence, offense,
		offences, conviction, convictions, arrest, arrests, criminal, victim, charge offence, straftat, delikt, vorstrafe,
		vorstrafen, infraction, condamnation, delito, condena, reato, condanna, misdrijf, przestepstwo, recidivism, recid`), false, false},
	// The preceding words name what somebody has, these what somebody is: yes-no columns have such names.
	{Sensitive, strongEvidence, "health is a special category (GDPR, Article 9)", words(`sick, ill, disabled, infected,
		allergic, allergy, allergies, addicted, addiction, krank, behindert, schwerbehindert, geimpft, impfung, diabetiker,
		allergie, sucht, malade, handicape, vaccine, enceinte, diabetique, enfermo, discapacitado, minusvalia, vacunado,
		embarazada, alergia, alergias, diabetico, malato, disabile, disabilita, vaccinato, incinta, allergia, doente,
		vacinado, gravida, ziek, gehandicapt, gevaccineerd, chory, niepelnosprawny, niepelnosprawnosc, szczepienie, palacy`), true, false},
	{Sensitive, strongEvidence, "religion, politics, sexual life (GDPR, Article 9)", words(`union, unionized, unionised,
		syndique, sindicalizado, sindicado, sindacato, zwiazkowiec`), true, false},
	{Sensitive, strongEvidence, "what people earn and owe is their own", words(`indebted, default, overdue, arrears,
		bankrupt, bankruptcy, insolvent, garnishment, severance, commission, verschuldet, pfaendung, zulage, praemie,
		abfindung, endette, surendettement, prime, indemnite, endeudado, moroso, embargo, prima, indebitato, pignoramento,
		endividado, gratificacao, loonbeslag, toeslag, zadluzony, komornik, premia`), true, false},
	{Sensitive, strongEvidence, "offences need protection (GDPR, Article 10)", words(`convicted, arrested, felony, prison,
		sanction, sanctions, disciplinary, warning, warnings, reprimand, suspension, suspended, misconduct, grievance,
		dismissal, dismissed, verurteilt, abmahnung, verwarnung, disziplinar, kuendigung, condamne, avertissement, blame,
		licenciement, condenado, sancion, amonestacion, despido, condannato, sanzione, licenziamento, sancao, advertencia,
		demissao, veroordeeld, sanctie, waarschuwing, ontslag, skazany, nagana, upomnienie`), true, false},
	{Sensitive, usualEvidence, "marks and judgements are a person's own", words(`grade, grades, mark, marks, score, exam,
		gpa, evaluation, rating, result, results, outcome, performance, satisfaction, churn, complaint, complaints, iq,
		zensur, note finale, bewertung, ergebnis, punkte, note, notes, resultat, moyenne, nota, notas, calificacion,
		resultado, voto, risultato, cijfer, uitslag, ocena, wynik, absences, fehltage, sick days, faltas, ausencias,
		satisfaccion, zufriedenheit, opinion, answer, response`), false, false},

	{QuasiIdentifier, strongEvidence, "others see or know it", words(`age, age group, sex, gender, race, ethnicity, ethnic,
		skin, birth, birthday, birthdate, dob, date of birth, year of birth, birth year, yob, born, death, date of death,
		alter, altersgruppe, geschlecht, geburtsdatum, geburtsjahr, geburt, geburtstag, geburtsort, ethnie, sexe, genre,
		naissance, date de naissance, annee de naissance, lieu de naissance, edad, sexo, genero, nacimiento,
		fecha de nacimiento, raza, etnia, eta, sesso, nascita, data di nascita, anno di nascita, luogo di nascita, idade,
		nascimento, data de nascimento, raca, leeftijd, geslacht, geboortedatum, geboortejaar, wiek, plec, data urodzenia,
		rok urodzenia, height, weight, groesse, gewicht, taille, poids, peso, altura, altezza, eye colour, eye color,
		hair colour, hair color`), false, false},
	{QuasiIdentifier, strongEvidence, "it says where one lives or comes from", words(`zip, zip code, zipcode, postal,
		postal code, postcode, plz, postleitzahl, code postal, codigo postal, cap, cep, kod pocztowy, city, town, village,
		municipality, county, district, region, state, province, country, nation, nationality, citizenship, place, location,
		area, gps, latitude, longitude, lat, lon, long, lng, coordinate, coordinates, coord, coords, geo, geocode,
		geolocation, position x, position y, easting, northing, utm, grid reference, neighbourhood, neighborhood, residence,
		native country, birthplace, breitengrad, laengengrad, breite, laenge, koordinaten, koordinate, coordonnees, latitud,
		longitud, coordenadas, latitudine, longitudine, coordinate geografiche, breedtegraad, lengtegraad,
		szerokosc geograficzna, dlugosc geograficzna, ort, wohnort, stadt, gemeinde, landkreis, kreis, bezirk, bundesland,
		land, staat, staatsangehoerigkeit, nationalitaet, herkunft, geburtsland, ville, commune, departement, pays,
		nationalite, ciudad, municipio, provincia, pais, nacionalidad, comunidad, citta, comune, regione, paese,
		nazionalita, cidade, concelho, distrito, estado, nacionalidade, stad, gemeente, provincie, nationaliteit,
		woonplaats, miasto, gmina, powiat, wojewodztwo, kraj, obywatelstwo, store, branch, filiale, hospital, school,
		station, ward`), false, false},
	{QuasiIdentifier, usualEvidence, "others know how one lives and works", words(`marital, marital status, married,
		civil status, family, household, household size, children, kids, dependents, number of children, siblings,
		relationship, spouse, education, education level, education num, schooling, degree, qualification, occupation, job,
		job title, profession, employment, employment status, employer, employed, company, department, position, role,
		industry, sector, workclass, work class, hours, hours per week, working hours, seniority, years of service, tenure,
		language, mother tongue, housing, home, car, vehicle, military, veteran, class, title, major, study, semester,
		hobby, familienstand, kinder, haushalt, haushaltsgroesse, bildung, schulabschluss, abschluss, ausbildung, beruf,
		taetigkeit, arbeitgeber, firma, abteilung, branche, stellung, wochenstunden, arbeitszeit, sprache, muttersprache,
		wohnung, studiengang, fach, klasse, schule, etat civil, situation familiale, enfants, nombre d enfants, menage,
		diplome, niveau d etudes, etudes, metier, emploi, employeur, entreprise, secteur, langue, logement, heures, filiere,
		estado civil, hijos, numero de hijos, hogar, educacion, estudios, nivel de estudios, ocupacion, profesion, trabajo,
		empleador, empresa, idioma, vivienda, carrera, horas, stato civile, figli, nucleo familiare, istruzione,
		titolo di studio, professione, lavoro, azienda, lingua, estado civil, filhos, agregado, escolaridade, profissao,
		emprego, empresa, burgerlijke staat, kinderen, huishouden, opleiding, beroep, werkgever, taal, stan cywilny, dzieci,
		wyksztalcenie, zawod, pracodawca, jezyk`), false, false},
	{QuasiIdentifier, weakEvidence, "others remember when something was", words(`date, day, month, year, time, admission,
		discharge, visit, entry, hired, joined, registered, datum, monat, jahr, aufnahme, entlassung, eintritt, mois, annee,
		fecha, mes, ano, data, mese, anno, jaar, rok, since, start, end, ano de ingreso, fecha de ingreso`), false, false},
}
