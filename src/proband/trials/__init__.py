"""The trials domain: studies of ClinicalTrials.gov, their criteria, their documents."""
