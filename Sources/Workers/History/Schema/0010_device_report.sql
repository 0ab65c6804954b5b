-- What the device says beside its fix. Nothing is judged by most of it, and what the device does not say is null. Texts, not
-- enumerations: a word that is new to a database must not stop its partition.

ALTER TABLE location_history
    ADD COLUMN raw_altitude_meters real,
    ADD COLUMN raw_altitude_accuracy_meters real,
    ADD COLUMN raw_heading_accuracy_degrees real,
    ADD COLUMN raw_speed_accuracy_mps real,
    ADD COLUMN battery_percent smallint,
    ADD COLUMN is_charging boolean,
    ADD COLUMN network_type text,
    ADD COLUMN motion_activity text,
    ADD COLUMN source text,
    ADD COLUMN is_mock boolean,
    ADD COLUMN integrity text;
COMMENT ON COLUMN location_history.raw_altitude_meters IS 'As the device said, like all columns raw_….';
COMMENT ON COLUMN location_history.raw_altitude_accuracy_meters IS
    '68 % interval to either side, like raw_heading_accuracy_degrees and raw_speed_accuracy_mps.';
COMMENT ON COLUMN location_history.battery_percent IS 'The device''s charge, 0 to 100.';
COMMENT ON COLUMN location_history.network_type IS
    'What the device was connected by: wifi, cellular, 2g, 3g, 4g, 5g, ethernet or none.';
COMMENT ON COLUMN location_history.motion_activity IS
    'What the device''s motion sensors say: stationary, walking, running, cycling or automotive.';
COMMENT ON COLUMN location_history.source IS 'What made the fix: gps, wifi, cellular, fused or cached.';
COMMENT ON COLUMN location_history.is_mock IS 'Whether the platform says that a mock provider made the fix.';
COMMENT ON COLUMN location_history.integrity IS 'The platform''s attestation of the device: PASSED or FAILED.';
